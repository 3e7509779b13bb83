import { useLayoutEffect, useRef } from 'react';
import styles from './composer.module.css';
import { placePopover } from './popover-placement.ts';

const HIGHEST = 256;

export type Item = { value: string; about?: string | undefined };

type Props = {
  id: string;
  label: string;
  items: readonly Item[];
  active: number;
  onChoose: (index: number) => void;
};

/** What can be chosen, beside the field where there is room for it. */
export function CompletionList({ id, label, items, active, onChoose }: Props) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other items need other room
  useLayoutEffect(() => {
    if (list.current) fit(list.current);
  }, [items]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other items stand elsewhere
  useLayoutEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [items, active]);
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={label}
      className={`popover ${styles.completions}`}
    >
      {items.map(({ value, about }, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text field
        <div
          key={value}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          className={styles.completion}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(index)}
        >
          <span>{value}</span>
          {about && <span className={styles.about}>{about}</span>}
        </div>
      ))}
    </div>
  );
}

function fit(list: HTMLElement): void {
  const field = list.parentElement?.getBoundingClientRect();
  const view = list.closest('main')?.getBoundingClientRect();
  if (!field || !view) return;
  // The keyboard of a phone covers the end of the page.
  const bottom = Math.min(view.bottom, visualViewport?.height ?? innerHeight);
  list.style.maxHeight = '';
  const { side, maxHeight } = placePopover(Math.min(HIGHEST, list.scrollHeight + 2), {
    above: field.top - Math.max(0, view.top),
    below: bottom - field.bottom,
  });
  list.dataset.side = side;
  list.style.maxHeight = `${maxHeight}px`;
}
