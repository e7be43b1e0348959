{%- extends 'nbgrader/base.tpl' -%}

{#- After nbgrader's own scripts, which draw the tables. -#}
{%- block script -%}
<script src="{{ base_url }}/formgrader/hotloop/tables.js"></script>
{%- endblock -%}
