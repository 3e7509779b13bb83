import { type RefObject, useEffect, useState } from 'react';
import { useComings } from './comings.ts';
import { PAUSE_MS } from './pause.ts';

/** Whether what can be pressed somewhere has been for the same thing for a while. */
export function useRested(subject: unknown): boolean {
  const [rested, rest] = useState<{ subject: unknown }>();
  useEffect(() => {
    const timer = setTimeout(() => rest({ subject }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [subject]);
  return rested !== undefined && rested.subject === subject;
}

/** Whether something has been there for a while, and has not come to where the pointer rests. */
export function useRestedThere(element: RefObject<HTMLElement | null>): boolean {
  return useRested(useComings(element));
}
