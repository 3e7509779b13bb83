export type Toast = {
  id: number;
  tone: 'plain' | 'good' | 'bad';
  words: string;
  /** Next step for the user. */
  hint?: string | undefined;
  /** Link to the subject of the toast. */
  link?: { href: string; words: string } | undefined;
  /** Button of the toast, which dismisses it. */
  action?: { words: string; act: () => void } | undefined;
  /** The path of the view that the toast belongs to; all views by default. */
  view?: string | undefined;
};

const MOST = 4;

/** Appends a toast and removes an earlier one with the same text. */
export function withToast(toasts: readonly Toast[], toast: Toast): readonly Toast[] {
  const isSame = ({ words, link }: Toast) =>
    words === toast.words && link?.href === toast.link?.href;
  return [...toasts.filter((each) => !isSame(each)), toast].slice(-MOST);
}

/** The toasts of a view, and those of all views. */
export function toastsIn(toasts: readonly Toast[], path: string): readonly Toast[] {
  return toasts.filter(({ view }) => view === undefined || view === path);
}
