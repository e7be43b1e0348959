// One question across all learners: points are saved as they are given.
(function () {
    "use strict";

    $("head").append($("<meta>").attr(
        {"name": "viewport", "content": "width=device-width, initial-scale=1"}));

    var give = function (row, points) {
        var said = row.find(".hotloop-said").text("saving");
        $.ajax({
            url: base_url + "/formgrader/api/grade/" + encodeURIComponent(row.data("grade")),
            method: "PUT",
            headers: {"X-CSRFToken": getCookie("_xsrf")},
            contentType: "application/json",
            data: JSON.stringify({manual_score: points === "" ? null : Number(points)})
        }).done(function (grade) {
            row.find(".hotloop-points").val(grade.manual_score);
            row.toggleClass("hotloop-marked", !grade.needs_manual_grade);
            row.attr("data-waits", grade.needs_manual_grade ? "1" : null);
            said.text(grade.needs_manual_grade ? "not marked" : "saved");
            $("#hotloop-left").text($(".hotloop-answer[data-waits]").length);
        }).fail(function (answer) {
            said.text((answer.responseJSON || {}).message || "It was not saved.");
        });
    };

    $(document).on("click", ".hotloop-give", function () {
        give($(this).closest("tr"), $(this).data("points"));
    });
    $(document).on("change", ".hotloop-points", function () {
        give($(this).closest("tr"), $(this).val());
    });
}());
