// nbgrader's tables, with what is pending beside what is earned. The views are nbgrader's own.
(function () {
    "use strict";

    $("head").append($("<meta>").attr(
        {"name": "viewport", "content": "width=device-width, initial-scale=1"}));

    var COLUMNS = {
        ".score": "", ".avg-score": "",
        ".code-score": "code_", ".avg-code-score": "code_",
        ".written-score": "written_", ".avg-written-score": "written_",
        ".task-score": "task_", ".avg-task-score": "task_"
    };
    var VIEWS = [
        "AssignmentUI", "NotebookUI", "SubmissionUI", "SubmittedNotebookUI", "StudentUI",
        "StudentSubmissionUI", "StudentSubmittedNotebookUI"
    ];

    var label = function (kind, text) {
        return $("<span/>").addClass("label label-" + kind).text(text);
    };

    var addPoints = function (view) {
        _.each(COLUMNS, function (prefix, column) {
            var pending = view.model.get(prefix + "pending");
            if (pending > 0) {
                view.$el.find(column).append(
                    " ", label("warning", roundToPrecision(pending, 2) + " pending"));
            }
        });
        var penalty = view.model.get("penalty");
        if (penalty > 0) {
            view.$el.find(".score").append(" ", label("default", "late: −" + roundToPrecision(penalty, 2)));
        }
    };

    // Of a submission: "graded" only where nothing is pending.
    var addStatus = function (view) {
        var status = view.$el.find(".status");
        if (!view.model.get("autograded") || !(view.model.get("judged_pending") > 0)) {
            return;
        }
        if (!view.model.get("needs_manual_grade")) {
            status.empty().attr("data-order", 1);
        }
        status.append(" ", label("warning", "waits for the judge"));
    };

    // Of a submission: how much later it is due for this learner, and a button to change that.
    var addExtension = function (view) {
        var hours = view.model.get("extension_hours");
        if (hours) {
            view.$timestamp.append(" ", label("default", "due " + hours + " h later"));
        }
        view.$timestamp.append(" ", $("<a/>")
            .attr({"href": "#", "class": "extension", "title": "Extension", "role": "button"})
            .click(function () { askExtension(view); return false; })
            .append($("<span/>").addClass("glyphicon glyphicon-time").attr("aria-hidden", "true")));
    };

    var field = function (text, type, name) {
        return $("<p/>").append($("<label/>").text(text + " ").append(
            $("<input/>").attr({"type": type, "name": name, "min": 0})));
    };

    var askExtension = function (view) {
        var student = view.model.get("student");
        var said = $("<p/>").attr({"class": "text-danger", "role": "alert"});
        var body = $("<div/>").append(
            field("Hours after the due date; 0 takes it back", "number", "hours"),
            field("Reason, for the audit log", "text", "why"), said);
        var save = $("<button/>").attr("type", "button").addClass("btn btn-primary save").text("Save");
        var modal = createModal("extension-modal", "Extension for " + student, body, save);
        modal.find("[name=hours]").val(view.model.get("extension_hours") || 0);
        save.click(function () {
            $.ajax({
                url: base_url + "/formgrader/api/extension/" + encodeURIComponent(assignment_id) +
                    "/" + encodeURIComponent(student),
                method: "PUT",
                headers: {"X-CSRFToken": getCookie("_xsrf")},
                contentType: "application/json",
                data: JSON.stringify({
                    hours: modal.find("[name=hours]").val(), why: modal.find("[name=why]").val()
                })
            }).done(function () {
                modal.modal("hide");
                view.model.unset("extension_hours", {silent: true});
                view.model.fetch();
            }).fail(function (answer) {
                said.text((answer.responseJSON || {}).message || "It was not saved.");
            });
        });
    };

    // Written tasks can be marked one by one across all learners.
    if (window.assignment_id && location.pathname.indexOf("/formgrader/gradebook/") >= 0) {
        $.getJSON(base_url + "/formgrader/api/questions/" + encodeURIComponent(assignment_id))
            .done(function (tasks) {
                var links = _.map(tasks, function (task) {
                    var page = [assignment_id, task].map(encodeURIComponent).join("/");
                    return $("<a/>").addClass("btn btn-default btn-xs")
                        .attr("href", base_url + "/formgrader/questions/" + page).text(task);
                });
                if (links.length) {
                    $("ol.breadcrumb").first().after($("<p/>").addClass("hotloop-questions")
                        .append("One question across all learners: ", links));
                }
            });
    }

    _.each(VIEWS, function (name) {
        var view = window[name];
        if (!view) {
            return;
        }
        var render = view.prototype.render;
        view.prototype.render = function () {
            render.apply(this, arguments);
            addPoints(this);
            addStatus(this);
            if (name === "SubmissionUI" && this.$timestamp) {
                addExtension(this);
            }
        };
    });
}());
