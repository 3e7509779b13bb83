import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { completed, completionAt } from './completion-at.ts';
import { CompletionList, type Item } from './completion-list.tsx';

/** Words that can be completed after a trigger character. */
export type Completion = {
  trigger: string;
  label: string;
  find: (search: string) => Promise<readonly Item[]>;
};

type Found = {
  trigger: string;
  /** Start of the word that they complete. */
  start: number;
  label: string;
  items: readonly Item[];
};

type Field = {
  text: string;
  caret: number;
  completions: readonly Completion[];
  onComplete: (text: string, caret: number) => void;
};

/**
 * Offers completions for the word at the caret of a text field, and inserts the one that the user picks by keyboard or
 * mouse.
 */
export function useCompletion({ text, caret, completions, onComplete }: Field) {
  const id = useId();
  const [found, show] = useState<Found>();
  const [active, setActive] = useState(0);
  const [refused, refuse] = useState(-1);
  const begun = completionAt(
    text,
    caret,
    completions.map(({ trigger }) => trigger),
  );
  const { trigger, search, start } = begun ?? {};

  useEffect(() => {
    const completion = completions.find((each) => each.trigger === trigger);
    if (!completion || search === undefined || start === undefined || start === refused) {
      return show(undefined);
    }
    let isGone = false;
    completion.find(search).then(
      (items) => {
        if (isGone) return;
        const { trigger: sign, label } = completion;
        setActive(0);
        show({ trigger: sign, start, label, items });
      },
      () => show(undefined),
    );
    return () => {
      isGone = true;
    };
  }, [completions, trigger, search, start, refused]);

  // What is offered may be behind what is typed, but never for another word.
  const isOpen = found !== undefined && found.items.length > 0 && found.start === start;
  const choose = (index: number) => {
    const item = found?.items[index];
    if (!begun || !item) return;
    const next = completed(text, begun, item.value);
    show(undefined);
    onComplete(next.text, next.caret);
  };
  /** Handles a key press; true if the key was meant for the list. */
  const onKey = (event: KeyboardEvent): boolean => {
    if (!isOpen) return false;
    const { length } = found.items;
    if (event.key === 'ArrowDown') setActive((active + 1) % length);
    else if (event.key === 'ArrowUp') setActive((active + length - 1) % length);
    else if (event.key === 'Enter' || event.key === 'Tab') choose(active);
    else if (event.key === 'Escape') refuse(found.start);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const aria = isOpen
    ? {
        role: 'combobox' as const,
        'aria-autocomplete': 'list' as const,
        'aria-expanded': true,
        'aria-controls': id,
        'aria-activedescendant': `${id}-${active}`,
      }
    : {};
  const list = isOpen && (
    <CompletionList
      id={id}
      trigger={found.trigger}
      label={found.label}
      items={found.items}
      active={active}
      onChoose={choose}
    />
  );
  return { onKey, aria, list };
}
