import {
  type Action,
  escapedJson,
  type PermissionRequest,
  showUnseen,
  showUnseenInText,
} from '@baton/protocol';
import { LongText } from '../design/long-text.tsx';
import { Untruncated } from '../design/untruncated.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { RequestedChanges } from './requested-changes.tsx';
import styles from './requests.module.css';

/** The requested action, in enough detail to decide. */
export function RequestedAction({ request, words }: { request: PermissionRequest; words: string }) {
  const { action, input } = request;
  if (action.type === 'command') {
    return (
      <div className={styles.action}>
        <LongText text={showUnseen(action.command)} />
        {action.cwd && (
          <div className={styles.where} dir="ltr">
            in <Untruncated text={action.cwd} />
          </div>
        )}
      </div>
    );
  }
  if (action.type === 'file.edit') {
    return <RequestedChanges changes={action.changes} />;
  }
  if (action.type === 'plan' && action.text) {
    return (
      <div className={styles.plan}>
        <Markdown text={showUnseenInText(action.text)} />
      </div>
    );
  }
  const more = moreOf(action, input);
  return (
    <>
      <div className={styles.words}>
        <Untruncated text={words} />
      </div>
      {more !== undefined && (
        <div className={styles.action}>
          <LongText text={more} />
        </div>
      )}
    </>
  );
}

/** The details that the summary omits. */
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
