import {
  type Action,
  escapedJson,
  type PermissionRequest,
  showUnseen,
  showUnseenInLine,
} from '@baton/protocol';
import { Exact, LONGEST_LINE } from '../design/exact.tsx';
import { LongText } from '../design/long-text.tsx';
import { DiffView } from '../diff/diff-view.tsx';
import styles from './requests.module.css';

/** What an agent wants to do, so that a person can judge it. */
export function RequestedAction({ request, words }: { request: PermissionRequest; words: string }) {
  const { action, input } = request;
  if (action.type === 'command') {
    return (
      <div className={styles.action}>
        <LongText text={showUnseen(action.command)} />
        {action.cwd && (
          <p className={styles.where} dir="ltr">
            in <Exact text={action.cwd} />
          </p>
        )}
      </div>
    );
  }
  if (action.type === 'file.edit') {
    return action.changes.map((change, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: one request may change a file twice
      <div key={index} className={styles.change}>
        <p className={styles.path} dir="ltr">
          <Exact text={change.path} />
          {change.newPath && ' → '}
          {change.newPath && <Exact text={change.newPath} />}
          {change.kind === 'delete' && ' (deleted)'}
        </p>
        <DiffView change={change} first={20} />
      </div>
    ));
  }
  const more = moreOf(action, input);
  return (
    <>
      <Words text={words} />
      {more !== undefined && (
        <div className={styles.action}>
          <LongText text={more} />
        </div>
      )}
    </>
  );
}

function Words({ text }: { text: string }) {
  if (text.length > LONGEST_LINE) {
    return (
      <div className={styles.action}>
        <LongText text={showUnseenInLine(text)} />
      </div>
    );
  }
  return (
    <p className={styles.words}>
      <Exact text={text} />
    </p>
  );
}

/** What the words leave out. */
function moreOf(action: Action, input: unknown): string | undefined {
  switch (action.type) {
    case 'file.read':
      return undefined;
    case 'search':
      return action.path && `in ${showUnseen(action.path)}`;
    case 'fetch':
      return action.url && action.query && showUnseen(action.query);
    default:
      return input === undefined ? undefined : escapedJson(input);
  }
}
