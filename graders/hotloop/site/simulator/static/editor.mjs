// The editor of a kernel: CodeMirror with findings at their lines and the traffic of each line.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { cpp } from '@codemirror/lang-cpp';
import { bracketMatching, foldEffect, foldGutter, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, RangeSet, StateEffect, StateField } from '@codemirror/state';
import { Decoration, drawSelection, EditorView, gutter, GutterMarker, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const color = (name) => ({ color: `var(--md-code-hl-${name}-color)` });
const colors = HighlightStyle.define([
  { tag: tags.comment, ...color('comment') },
  { tag: [tags.keyword, tags.typeName, tags.modifier], ...color('keyword') },
  { tag: [tags.number, tags.bool], ...color('number') },
  { tag: tags.string, ...color('string') },
  { tag: tags.labelName, ...color('special') },
  { tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName))], ...color('function') },
  { tag: tags.processingInstruction, ...color('special') },
]);

class TrafficMarker extends GutterMarker {
  constructor({ share, efficiency, text }) {
    super();
    Object.assign(this, { share, efficiency, text });
  }

  eq(other) {
    return this.share === other.share && this.text === other.text;
  }

  toDOM() {
    const bar = document.createElement('span');
    bar.className = 'kernel-traffic-bar';
    bar.title = this.text;
    bar.style.inlineSize = `${Math.max(3, 100 * this.share)}%`;
    const needed = document.createElement('span');
    needed.style.inlineSize = `${100 * this.efficiency}%`;
    bar.append(needed);
    return bar;
  }
}

const setMarkers = StateEffect.define();
const markers = StateField.define({
  create: () => RangeSet.empty,
  update: (set, transaction) =>
    transaction.effects.reduce(
      (current, effect) => (effect.is(setMarkers) ? effect.value : current),
      set.map(transaction.changes),
    ),
});

const setStep = StateEffect.define();
const stepLine = StateField.define({
  create: () => Decoration.none,
  update: (set, transaction) =>
    transaction.effects.reduce(
      (current, effect) => (effect.is(setStep) ? effect.value : current),
      set.map(transaction.changes),
    ),
  provide: (field) => EditorView.decorations.from(field),
});

export class Editor {
  /** onRun: Ctrl+Enter. onChange: the text was edited. */
  constructor(parent, text, { onRun, onChange, label, language = cpp() }) {
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          gutter({ class: 'kernel-traffic', markers: (view) => view.state.field(markers), initialSpacer: null }),
          markers,
          stepLine,
          lintGutter(),
          foldGutter(),
          history(),
          drawSelection(),
          indentOnInput(),
          indentUnit.of('  '),
          bracketMatching(),
          highlightActiveLine(),
          highlightSelectionMatches(),
          language,
          syntaxHighlighting(colors),
          keymap.of([
            { key: 'Mod-Enter', run: () => (onRun(), true) },
            ...defaultKeymap,
            ...historyKeymap,
            ...searchKeymap,
          ]),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.updateListener.of((update) => update.docChanged && onChange()),
        ],
      }),
    });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  /** Fold what comes before and after these lines, counted from 1. */
  showOnly(first, last) {
    const { doc } = this.view.state;
    const effects = [];
    if (first > 2) effects.push(foldEffect.of({ from: doc.line(1).to, to: doc.line(first - 1).to }));
    if (last < doc.lines) effects.push(foldEffect.of({ from: doc.line(last).to, to: doc.length }));
    this.view.dispatch({ effects });
  }

  /** Mark lines: [{ line, column, severity, message }]. */
  mark(problems) {
    const { doc } = this.view.state;
    const diagnostics = problems.map(({ line, column, severity, message }) => {
      const place = doc.line(Math.min(Math.max(1, line), doc.lines));
      const from = Math.min(place.to, place.from + (column ? column - 1 : place.text.search(/\S|$/)));
      return { from, to: place.to, severity, message };
    });
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
  }

  /** Show bars: [{ line, share, efficiency, text }]; share of the longest bar, both from 0 to 1. */
  showTraffic(rows) {
    const { doc } = this.view.state;
    const ranges = rows
      .filter(({ line }) => line <= doc.lines)
      .sort((one, other) => one.line - other.line)
      .map((row) => new TrafficMarker(row).range(doc.line(row.line).from));
    this.view.dispatch({ effects: setMarkers.of(RangeSet.of(ranges)) });
  }

  /** Highlight the line of a step, or none. */
  showStep(line) {
    const { doc } = this.view.state;
    const isShown = line && line <= doc.lines;
    const mark = () => Decoration.line({ class: 'kernel-step-line' }).range(doc.line(line).from);
    this.view.dispatch({ effects: setStep.of(isShown ? Decoration.set([mark()]) : Decoration.none) });
  }

  /** Move the cursor and the reader there. */
  goTo(line) {
    const place = this.view.state.doc.line(Math.min(line, this.view.state.doc.lines));
    this.view.dispatch({ selection: { anchor: place.from }, effects: EditorView.scrollIntoView(place.from, { y: 'center' }) });
    this.view.focus();
  }
}
