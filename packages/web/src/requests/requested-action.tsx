import { escapedJson, type PermissionRequest, showUnseen } from '@baton/protocol';
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
            in {showUnseen(action.cwd)}
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
          {showUnseen(change.path)}
          {change.newPath && ` → ${showUnseen(change.newPath)}`}
        </p>
        <DiffView change={change} first={20} />
      </div>
    ));
  }
  const isKnown = ['file.read', 'search', 'fetch'].includes(action.type);
  return (
    <>
      <p className={styles.words} dir="auto">
        {words}
      </p>
      {!isKnown && input !== undefined && (
        <div className={styles.action}>
          <LongText text={escapedJson(input)} />
        </div>
      )}
    </>
  );
}
