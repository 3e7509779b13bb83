import { type Action, escapedJson, showUnseen, wholeOutputWords } from '@baton/protocol';
import type { ReactNode } from 'react';
import { useMemo } from 'react';
import { LongText } from '../../design/long-text.tsx';
import { Markdown } from '../../markdown/markdown.tsx';
import { ChangedFiles } from './changed-files.tsx';
import { Checklist } from './checklist.tsx';
import type { ToolEntry } from './entry-of.ts';
import { Nested } from './nested.tsx';
import { Output } from './output.tsx';
import styles from './tools.module.css';

type Props = {
  entry: ToolEntry;
  inside: readonly number[];
  /** True if the transcript already shows the output. */
  isTold: boolean;
};

/** The expandable details of a tool call. */
export function ToolBody({ entry, inside, isTold }: Props) {
  const { cursor, output, outputCut, wholeOutput } = entry;
  return (
    <>
      {detailsOf(entry)}
      {inside.length > 0 && <Nested cursors={inside} />}
      {!isTold && isWorthShowing(entry) && (
        <Output place={`output ${cursor}`} text={output} cut={outputCut} />
      )}
      {wholeOutput && <p className={styles.cut}>{wholeOutputWords(wholeOutput)}</p>}
    </>
  );
}

/** True if a tool call has details to expand. */
export function hasToolBody({ entry, inside, isTold }: Props): boolean {
  const isPrinted = !isTold && isWorthShowing(entry);
  return inside.length > 0 || isPrinted || detailsOf(entry) !== null;
}

function detailsOf({ action, input, cursor }: ToolEntry): ReactNode {
  switch (action.type) {
    case 'command':
      return unlessInTitle(action.command);
    case 'file.edit':
      if (action.changes.every(({ diff }) => diff === undefined)) return null;
      return <ChangedFiles changes={action.changes} />;
    case 'file.read':
      return null;
    case 'search':
      return unlessInTitle(action.query);
    case 'fetch':
      return fetchDetails(action);
    case 'plan':
      return planDetails(action);
    case 'subagent':
      return action.prompt ? <Words text={action.prompt} /> : null;
    case 'mcp':
      return jsonDetails(cursor, action.arguments ?? input);
    default:
      return jsonDetails(cursor, input);
  }
}

type Of<Type extends Action['type']> = Extract<Action, { type: Type }>;

function fetchDetails({ url, query = '' }: Of<'fetch'>): ReactNode {
  if (url === undefined) return unlessInTitle(query);
  if (query === '') return unlessInTitle(url);
  return (
    <>
      {unlessInTitle(url)}
      <LongText text={showUnseen(query)} />
    </>
  );
}

function planDetails({ text, entries = [] }: Of<'plan'>): ReactNode {
  if (!text && entries.length === 0) return null;
  return (
    <>
      {text && <Words text={text} />}
      {entries.length > 0 && <Checklist entries={entries} />}
    </>
  );
}

function jsonDetails(cursor: number, value: unknown): ReactNode {
  return isNothing(value) ? null : <JsonView place={`input ${cursor}`} value={value} />;
}

function isNothing(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === undefined || value === null;
  return Object.keys(value).length === 0;
}

/** Renders the text unless the title line, which has space for one short line, already shows it. */
function unlessInTitle(text: string): ReactNode {
  const shown = showUnseen(text);
  return shown.length <= 80 && !shown.includes('\n') ? null : <LongText text={shown} />;
}

function Words({ text }: { text: string }) {
  return (
    <div className={styles.words}>
      <Markdown text={text} />
    </div>
  );
}

/** False for output that repeats what is already visible, such as that of a successful edit with a diff. */
function isWorthShowing({ action, outcome, output }: ToolEntry): boolean {
  if (output.trim() === '') return false;
  if (action.type === 'plan') return outcome !== 'ok';
  return (
    action.type !== 'file.edit' || outcome !== 'ok' || action.changes.every(({ diff }) => !diff)
  );
}

/** A value as JSON. */
function JsonView({ place, value }: { place: string; value: unknown }) {
  const text = useMemo(() => escapedJson(value), [value]);
  return <Output place={place} text={text} />;
}
