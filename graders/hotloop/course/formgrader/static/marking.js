// The page on which a submission is marked: judged cells are locked, comments can be used again.
// It changes the views that nbgrader's formgrade_models.js has made.
(function () {
    "use strict";

    var ASK = "The judge measured these points. Give points of your own instead?";
    var GIVE_BACK = "Take back your points, so that the judge's count again?";
    var StockGradeUI = GradeUI;
    var StockCommentUI = CommentUI;

    var button = function (classes, text) {
        return $("<button/>").attr("type", "button").addClass("btn " + classes).text(text);
    };

    // What is typed before the server's values are there would be overwritten by them.
    $(function () {
        $(".score, .extra-credit, .comment").prop("readonly", true);
    });

    // --- one question across all learners -------------------------------------------------------

    // nbgrader counts the inputs of a page, of which locked ones are none; the task's name stays.
    var navigateTo = FormGrader.prototype.navigateTo;
    FormGrader.prototype.navigateTo = function () {
        var score = this.last_selected && this.last_selected.closest(".nbgrader_cell").find(".score");
        var task = score && score.attr("id");
        return navigateTo.apply(this, arguments) + (task ? "#" + encodeURIComponent(task) : "");
    };

    var setIndexFromUrl = FormGrader.prototype.setIndexFromUrl;
    FormGrader.prototype.setIndexFromUrl = function () {
        setIndexFromUrl.apply(this, arguments);
        var task = $(document.getElementById(decodeURIComponent(location.hash.slice(1))));
        if (task.is(".score")) {
            this.last_selected = task;
            this.setCurrentIndex();
        }
    };

    // --- grades ---------------------------------------------------------------------------------

    GradeUI = StockGradeUI.extend({
        initialize: function () {
            this.locked = this.model.get("judged");
            if (this.locked) {
                this.addLock();
            }
            this.$el.find(".score, .extra-credit").prop("readonly", false);
            StockGradeUI.prototype.initialize.apply(this, arguments);
            if (this.model.get("judged")) {
                this.$score.attr("placeholder", this.model.get("judge_points"));
            }
            this.listenTo(this.model, "error", this.refused);
        },

        addLock: function () {
            this.$verdict = $("<span/>").addClass("label hotloop-judge");
            this.$override = button("btn-default btn-xs", "Override the judge's points")
                .on("click", _.bind(this.override, this));
            this.$restore = button("btn-default btn-xs", "Use the judge's points")
                .on("click", _.bind(this.restore, this));
            this.$el.find(".nbgrader-label").first().after(this.$verdict);
            this.$el.find(".panel-heading").first().append(
                $("<div/>").addClass("hotloop-buttons").append(this.$override, " ", this.$restore));
        },

        render: function () {
            StockGradeUI.prototype.render.apply(this, arguments);
            if (this.model.get("total")) {
                $("#hotloop-total").text(this.model.get("total"));
            }
            if (this.$verdict) {
                this.renderLock();
            }
        },

        renderLock: function () {
            var points = this.model.get("manual_score");
            var overridden = points !== null;
            var kind = this.model.get("pending") > 0 ? "label-warning" : "label-default";
            this.$el.toggleClass("hotloop-locked", this.locked);
            this.$el.find(".score, .extra-credit")
                .prop("readonly", this.locked).toggleClass("tabbable", !this.locked);
            this.$verdict
                .removeClass("label-danger label-warning label-default")
                .addClass(overridden ? "label-danger" : kind)
                .text((overridden ? "Override: " + points + ". Judge: " : "Judge: ")
                    + this.model.get("judge"));
            this.$override.toggle(this.locked);
            this.$restore.toggle(overridden);
        },

        override: function () {
            if (!window.confirm(ASK)) {
                return;
            }
            this.locked = false;
            this.model.set({"override": true}, {"silent": true});
            this.render();
            this.$score.focus();
        },

        restore: function () {
            if (!window.confirm(GIVE_BACK)) {
                return;
            }
            this.locked = true;
            this.model.set({"override": true}, {"silent": true});
            this.model.save({"manual_score": null, "extra_credit": null});
            this.model.unset("override", {"silent": true});
        },

        save: function () {
            if (this.locked) {
                // Who goes on to the next submission waits for this.
                $(document).trigger("finished_saving");
                return;
            }
            StockGradeUI.prototype.save.apply(this, arguments);
        },

        refused: function (model, response, options) {
            if (options.isAfterRefusal) {
                return;
            }
            var said = response.responseJSON && response.responseJSON.message;
            window.alert(said || "The points were not saved (" + response.status + ").");
            this.$glyph.hide();
            model.fetch({"isAfterRefusal": true});
        }
    });

    $(document).on("click", ".hotloop-mark", function () {
        var cell = $(this).closest(".hotloop-rubric").data("cell");
        $(document.getElementById(cell)).val($(this).data("points")).trigger("change");
    });

    // --- comments -------------------------------------------------------------------------------

    var saved = new Backbone.Collection();
    saved.url = base_url + "/api/saved_comments";
    saved.fetch();

    CommentUI = StockCommentUI.extend({
        initialize: function () {
            StockCommentUI.prototype.initialize.apply(this, arguments);
            this.$comment.prop("readonly", false);
            this.task = assignment_id + "." + this.model.get("name");
            this.$list = $("<ul/>").addClass("dropdown-menu");
            this.$el.find(".panel-footer").append($("<div/>").addClass("hotloop-saved").append(
                $("<div/>").addClass("btn-group dropup").append(
                    button("btn-default btn-xs dropdown-toggle", "Saved comments ")
                        .attr("data-toggle", "dropdown").append($("<span/>").addClass("caret")),
                    this.$list),
                " ",
                button("btn-default btn-xs hotloop-keep", "Save this comment to use again")
                    .on("click", _.bind(this.keep, this))));
            this.listenTo(saved, "add remove reset sync", this.list);
            this.list();
        },

        // This task's first.
        list: function () {
            var task = this.task;
            var ordered = saved.sortBy(function (each) { return each.get("task") === task ? 0 : 1; });
            this.$list.empty();
            if (ordered.length === 0) {
                this.$list.append($("<li/>").append($("<a/>").text("None in this course yet.")));
            }
            _.each(ordered, this.item, this);
        },

        item: function (each) {
            var insert = _.bind(this.insert, this, each.get("text"));
            this.$list.append($("<li/>").append(
                $("<a/>").attr({"href": "#", "title": each.get("task")}).text(each.get("text"))
                    .on("click", function (event) { event.preventDefault(); insert(); }),
                button("btn-link btn-xs", "Remove").on("click", function (event) {
                    event.stopPropagation();
                    each.destroy({"wait": true});
                })));
        },

        insert: function (text) {
            var before = this.$comment.val();
            this.$comment.val(before ? before + "\n" + text : text);
            autosize.update(this.$comment);
            this.$comment.trigger("change");
        },

        keep: function () {
            saved.create({"task": this.task, "text": this.$comment.val()}, {
                "wait": true,
                "error": function (_model, response) {
                    var said = response.responseJSON && response.responseJSON.message;
                    window.alert(said || "The comment was not saved.");
                }
            });
        }
    });
}());
