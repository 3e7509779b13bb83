import { escapedJson, type PermissionRequest, showUnseen } from '@baton/protocol';
import { DiffView } from '../diff/diff-view.tsx';
import styles from './requests.module.css';

const LONGEST = 20_000;

/** What an agent wants to do, so that a person can judge it. */
export function RequestedAction({ request, words }: { request: PermissionRequest; words: string }) {
  const { action, input } = request;
  if (action.type === 'command') {
    return (
      <pre className={styles.action} dir="ltr">
        {showUnseen(action.command)}
        {action.cwd && <span className={styles.where}>{`\nin ${showUnseen(action.cwd)}`}</span>}
      </pre>
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
        <pre className={styles.action} dir="ltr">
          {escapedJson(input).slice(0, LONGEST)}
        </pre>
      )}
    </>
  );
}
