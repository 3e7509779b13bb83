import { type RefObject, useEffect } from 'react';
import { isForView } from '../shell/keys.ts';

/** Lets a slash lead into a field, from wherever somebody is in the view. */
export function useWriteKey(field: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || !isForView(event)) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [field]);
}
