{%- extends 'nbgrader/gradebook_base.tpl' -%}

{#- One question across all learners. Everything here is escaped: the environment escapes. -#}
{%- block breadcrumbs -%}
<ol class="breadcrumb">
  <li><a href="{{ base_url }}/formgrader/gradebook">Manual Grading</a></li>
  <li><a href="{{ base_url }}/formgrader/gradebook/{{ assignment_id }}">{{ assignment_id }}</a></li>
  <li class="active">{{ task }}</li>
</ol>
{%- endblock -%}

{%- block messages -%}
<p>{{ goal }}</p>
<p><strong id="hotloop-left">{{ answers | selectattr('waits') | list | length }}</strong> of {{ answers | length }} wait for a person.</p>
{% if rubric %}
<table class="table table-condensed hotloop-question-rubric">
{% for row in rubric %}<tr><td>{{ row.points }}</td><td>{{ row.what }}</td></tr>{% endfor %}
</table>
{% endif %}
{%- endblock -%}

{%- block table_header -%}
<tr><th>Submission</th><th>Answer</th><th>Points of {{ '%g' | format(possible) }}</th></tr>
{%- endblock -%}

{%- block table_body -%}
{% for answer in answers %}
<tr class="hotloop-answer" data-grade="{{ answer.grade }}"{% if answer.waits %} data-waits="1"{% endif %}>
<td><a href="{{ base_url }}/formgrader/submissions/{{ answer.submission }}/#{{ task }}">Submission #{{ answer.number }}</a></td>
<td><pre>{{ answer.text or 'Not answered.' }}</pre></td>
<td>
<label>Points <input type="number" class="hotloop-points" min="0" max="{{ possible }}" step="any" value="{{ '' if answer.points is none else '%g' | format(answer.points) }}"></label>
{% for row in rubric %}<button type="button" class="btn btn-default btn-xs hotloop-give" data-points="{{ row.points }}" title="{{ row.what }}">{{ row.points }}</button>
{% endfor %}
<span class="hotloop-said" role="status">{% if answer.waits %}not marked{% endif %}</span>
</td></tr>
{% else %}
<tr><td colspan="3">Nobody's work is graded yet.</td></tr>
{% endfor %}
{%- endblock -%}

{%- block script -%}
<link rel="stylesheet" href="{{ base_url }}/formgrader/hotloop/tables.css">
<script src="{{ base_url }}/formgrader/hotloop/question.js"></script>
{%- endblock -%}
