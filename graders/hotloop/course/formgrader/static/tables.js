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
        };
    });
}());
