import { useEffect, useSyncExternalStore } from 'react';
import { Link, useLocation } from 'wouter';
import { Button, IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { type Toast, toastsIn, withToast } from './toast-list.ts';
import styles from './toasts.module.css';

const LIFE_MS = 6000;
let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

/** Shows a message at the edge of the page. Errors, and messages with a link or an action, stay until they are dismissed. */
export function tell(words: string, more: Partial<Omit<Toast, 'id' | 'words'>> = {}): void {
  const { tone = 'plain', link, action } = more;
  const toast: Toast = { ...more, id: nextId, tone, words };
  nextId += 1;
  change(withToast(toasts, toast));
  if (tone !== 'bad' && !link && !action) setTimeout(() => dismiss(toast.id), LIFE_MS);
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
  const [path] = useLocation();
  useEffect(() => change(toastsIn(toasts, path)), [path]);
  return (
    <section className={styles.place} aria-label="Notifications" aria-live="polite">
      {shown.map(({ id, tone, words, hint, link, action }) => (
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
            {action && (
              <div>
                <Button
                  small
                  onClick={() => {
                    dismiss(id);
                    action.act();
                  }}
                >
                  {action.words}
                </Button>
              </div>
            )}
          </div>
          <IconButton small label="Dismiss" icon="close" onClick={() => dismiss(id)} />
        </div>
      ))}
    </section>
  );
}
