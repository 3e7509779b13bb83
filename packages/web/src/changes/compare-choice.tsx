import styles from './changes-view.module.css';

export type Compare = 'turn' | 'session' | 'base';

type Props = {
  compare: Compare;
  turns: readonly { task_id: string; label: string }[];
  turn: string | undefined;
  /** The branch that the workspace started from; undefined if there is none. */
  base: string | undefined;
  onCompare: (compare: Compare) => void;
  onTurn: (taskId: string) => void;
};

/** Chooses what the files are compared with. */
export function CompareChoice({ compare, turns, turn, base, onCompare, onTurn }: Props) {
  return (
    <div className={styles.compare}>
      <label>
        <span className="only-for-readers">Compare with</span>
        <select
          className={styles.select}
          value={compare}
          onChange={({ target }) => onCompare(target.value as Compare)}
        >
          <option value="session">Since the session started</option>
          <option value="turn">One turn</option>
          {base !== undefined && <option value="base">Against {base}</option>}
        </select>
      </label>
      {compare === 'turn' && (
        <label>
          <span className="only-for-readers">Turn</span>
          <select
            className={styles.select}
            value={turn}
            onChange={({ target }) => onTurn(target.value)}
          >
            {turns.map(({ task_id, label }) => (
              <option key={task_id} value={task_id}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}
