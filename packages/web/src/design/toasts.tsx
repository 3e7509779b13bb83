import { useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import styles from './toasts.module.css';

export type Toast = {
  id: number;
  tone: 'plain' | 'good' | 'bad';
  words: string;
  /** What to do about it. */
  hint?: string | undefined;
  /** Where to look at what it is about. */
  link?: { href: string; words: string } | undefined;
};

const LIFE_MS = 6000;
let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

/** Says something at the edge of the page; what went wrong, or leads somewhere, stays until it was read. */
export function tell(words: string, { tone = 'plain', hint, link }: Partial<Toast> = {}): void {
  const toast: Toast = { id: nextId, tone, words, hint, link };
  nextId += 1;
  change([...toasts.filter((each) => each.words !== words), toast].slice(-4));
  if (tone !== 'bad' && !link) setTimeout(() => dismiss(toast.id), LIFE_MS);
}

function dismiss(id: number): void {
  change(toasts.filter((toast) => toast.id !== id));
}

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The place where they appear. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <section className={styles.place} aria-label="Notices" aria-live="polite">
      {shown.map(({ id, tone, words, hint, link }) => (
        <div
          key={id}
          className={styles.toast}
          data-tone={tone}
          role={tone === 'bad' ? 'alert' : undefined}
        >
          {tone !== 'plain' && <Icon name={tone === 'bad' ? 'warning' : 'check'} />}
          <div className={styles.words}>
            {words}
            {hint && <div className={styles.hint}>{hint}</div>}
            {link && (
              <div>
                <Link href={link.href} onClick={() => dismiss(id)}>
                  {link.words}
                </Link>
              </div>
            )}
          </div>
          <IconButton small label="Dismiss" icon="close" onClick={() => dismiss(id)} />
        </div>
      ))}
    </section>
  );
}
