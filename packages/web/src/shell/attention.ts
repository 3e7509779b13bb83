import { useEffect } from 'react';
import { usePending } from '../data/pending.ts';

/** Shows in the title of the page how much waits for a person. */
export function useAttention(): void {
  const pending = usePending();
  useEffect(() => {
    const title = document.title.replace(/^\(\d+\) /, '');
    document.title = pending > 0 ? `(${pending}) ${title}` : title;
  }, [pending]);
}

/** Gives the page the title of a view. */
export function useTitle(title: string): void {
  useEffect(() => {
    const [count = ''] = /^\(\d+\) /.exec(document.title) ?? [];
    document.title = `${count}${title} · Baton`;
  }, [title]);
}
