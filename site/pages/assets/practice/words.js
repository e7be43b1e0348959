/* The words on a question's card that the terminal does not have; all others come with the data. */
((hotloop) => {
  "use strict";

  hotloop.words = {
    en: {
      code: "en",
      notes: "Your answer, said aloud or written here (it is not kept)",
      hint: "Hint",
      reveal: "Reveal the answer",
      skip: "Skip",
      stop: "Stop here",
      give: "Your number, with its unit",
      check: "Check",
      keep: "Keep the mark",
      next: "Next question",
      end: "To the end",
      choose: "Choose a mark first.",
      whole: "The whole page, with what backs the answer",
      clock: "Time",
      of: "{taken} of {minutes} min",
      half: "Half of the time is over.",
      minute: "One minute is left.",
      over: "The time is over; you may go on.",
      ended: "The session",
    },
    zh: {
      code: "zh-Hans",
      notes: "你的回答，说出来或写在这里（不会保存）",
      hint: "提示",
      reveal: "看答案",
      skip: "跳过",
      stop: "到此结束",
      give: "你的数字，带单位",
      check: "检查",
      keep: "记下分数",
      next: "下一题",
      end: "看结果",
      choose: "请先选择分数。",
      whole: "完整页面，含答案的依据",
      clock: "用时",
      of: "{taken}，共 {minutes} 分钟",
      half: "时间过半。",
      minute: "还剩一分钟。",
      over: "时间到了；可以继续。",
      ended: "本次练习",
    },
  };
})((globalThis.hotloop ??= {}));
