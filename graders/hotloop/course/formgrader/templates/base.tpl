{%- extends 'nbgrader/base.tpl' -%}

{#- After nbgrader's own scripts, which draw the tables. -#}
{%- block script -%}
<link rel="stylesheet" href="{{ base_url }}/formgrader/hotloop/tables.css">
<script src="{{ base_url }}/formgrader/hotloop/tables.js"></script>
{%- endblock -%}
