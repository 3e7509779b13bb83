export type Toast = {
  id: number;
  tone: 'plain' | 'good' | 'bad';
  words: string;
  /** What to do about it. */
  hint?: string | undefined;
  /** Where to look at what it is about. */
  link?: { href: string; words: string } | undefined;
  /** The path of the only view that it is about. */
  view?: string | undefined;
};

const MOST = 4;

/** Adds one at the end, in place of an earlier one that says the same. */
export function withToast(toasts: readonly Toast[], toast: Toast): readonly Toast[] {
  const isSame = ({ words, link }: Toast) =>
    words === toast.words && link?.href === toast.link?.href;
  return [...toasts.filter((each) => !isSame(each)), toast].slice(-MOST);
}

/** Those that are about a view, or about none. */
export function toastsIn(toasts: readonly Toast[], path: string): readonly Toast[] {
  return toasts.filter(({ view }) => view === undefined || view === path);
}
