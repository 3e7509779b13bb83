import { useId } from 'react';
import styles from './session-composer.module.css';

/** What becomes of a prompt while the agent works. */
export type Way = 'steer' | 'queue';

const WAYS: readonly { way: Way; words: string; about: string }[] = [
  { way: 'steer', words: 'Steer now', about: 'The agent is told while it works' },
  { way: 'queue', words: 'Queue', about: 'It runs when the agent has finished' },
];

/** Lets a person choose whether a prompt is for now or for later. */
export function WayChoice({ value, onChange }: { value: Way; onChange: (way: Way) => void }) {
  const name = useId();
  return (
    <fieldset className={styles.ways} aria-label="While the agent works">
      {WAYS.map(({ way, words, about }) => (
        <label key={way} className={styles.way} title={about}>
          <input type="radio" name={name} checked={value === way} onChange={() => onChange(way)} />
          {words}
        </label>
      ))}
    </fieldset>
  );
}
