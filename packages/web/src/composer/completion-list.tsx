import { useLayoutEffect, useRef } from 'react';
import styles from './composer.module.css';
import { placePopover } from './popover-placement.ts';

const HIGHEST = 320;

export type Item = { value: string; about?: string | undefined };

/** Longer descriptions are cut in their row. */
const LONG = 60;

type Props = {
  id: string;
  /** The character that the completed words begin with. */
  trigger: string;
  label: string;
  items: readonly Item[];
  active: number;
  onChoose: (index: number) => void;
};

/** The list of completions, placed next to the field where there is space. */
export function CompletionList({ id, trigger, label, items, active, onChoose }: Props) {
  const popover = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other items need other room
  useLayoutEffect(() => {
    if (popover.current) fit(popover.current);
  }, [items]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other items stand elsewhere
  useLayoutEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [items, active]);
  const hasLong = items.some(({ about = '' }) => about.length > LONG);
  return (
    <div ref={popover} className={`popover ${styles.completions}`}>
      <div ref={list} id={id} role="listbox" aria-label={label} className={styles.list}>
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
            <span className={`cut-line ${styles.name}`}>
              {trigger}
              {value}
            </span>
            {about && <span className={`cut-line ${styles.about}`}>{about}</span>}
          </div>
        ))}
      </div>
      {hasLong && (
        // Screen readers have the whole text in the row.
        <div className={styles.whole} aria-hidden="true" dir="auto">
          {items[active]?.about}
        </div>
      )}
    </div>
  );
}

function fit(popover: HTMLElement): void {
  const field = popover.parentElement?.getBoundingClientRect();
  const view = popover.closest('main')?.getBoundingClientRect();
  if (!field || !view) return;
  // The keyboard of a phone covers the end of the page.
  const bottom = Math.min(view.bottom, visualViewport?.height ?? innerHeight);
  popover.style.maxHeight = '';
  const { side, maxHeight } = placePopover(Math.min(HIGHEST, popover.scrollHeight + 2), {
    above: field.top - Math.max(0, view.top),
    below: bottom - field.bottom,
  });
  popover.dataset.side = side;
  popover.style.maxHeight = `${maxHeight}px`;
}
