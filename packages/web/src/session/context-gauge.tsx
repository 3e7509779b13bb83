import type { Usage } from '@baton/protocol';
import { compact } from '../text/amounts.ts';
import styles from './session-header.module.css';

/** Above this share, the agent will compact its context soon. */
const NEARLY_FULL = 0.8;

/** Used share of the context window. */
export function ContextGauge({ usage: { contextTokens, contextWindow } }: { usage: Usage }) {
  if (!contextWindow || contextTokens === undefined) return null;
  const part = Math.min(1, contextTokens / contextWindow);
  const words = `${compact(contextTokens)} of ${compact(contextWindow)} tokens of context used`;
  return (
    <span title={words}>
      <span className={styles.gauge} role="img" aria-label={words}>
        <span
          className={styles.fill}
          data-full={part >= NEARLY_FULL || undefined}
          style={{ display: 'block', width: `${Math.max(2, part * 100)}%` }}
        />
      </span>
      {Math.round(part * 100)} % context
    </span>
  );
}
