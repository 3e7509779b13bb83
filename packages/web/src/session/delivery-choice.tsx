import { useId } from 'react';
import styles from './session-composer.module.css';

/** Delivery of a prompt while the agent works. */
export type Delivery = 'steer' | 'queue';

const DELIVERIES: readonly { way: Delivery; words: string; about: string }[] = [
  { way: 'steer', words: 'Send now', about: 'Delivered immediately, mid-turn' },
  { way: 'queue', words: 'Queue', about: 'Runs when the current task finishes' },
];

const QUEUE_ONLY = 'Changed settings apply from the next prompt';

/** Chooses between steering the agent now and queueing the prompt. */
export function DeliveryChoice({
  value,
  onChange,
  isQueueOnly,
}: {
  value: Delivery;
  onChange: (way: Delivery) => void;
  /** True if the prompt has settings of its own, which cannot apply to a running task. */
  isQueueOnly: boolean;
}) {
  const name = useId();
  return (
    <fieldset className={styles.ways} aria-label="While the agent works">
      {DELIVERIES.map(({ way, words, about }) => (
        <label key={way} className={styles.way} title={isQueueOnly ? QUEUE_ONLY : about}>
          <input
            type="radio"
            name={name}
            checked={value === way}
            disabled={isQueueOnly && way === 'steer'}
            onChange={() => onChange(way)}
          />
          {words}
        </label>
      ))}
    </fieldset>
  );
}
