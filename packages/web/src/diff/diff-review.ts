import type { ReactNode } from 'react';

/** The side of a diff that has a line: the file before or after the change. */
export type LineSide = 'old' | 'new';

/** Comments between the lines of a diff. */
export type DiffReview = {
  /** Called when a person wants to comment on a line, or to extend the chosen lines to it; undefined for readers. */
  onLine: ((side: LineSide, line: number, extend: boolean) => void) | undefined;
  /** True for lines that a comment is being written on. */
  isChosen(side: LineSide, line: number): boolean;
  /** Returns what is shown below a line; `quoteOf` returns the text of lines on the same side. */
  below(side: LineSide, line: number, quoteOf: (first: number, last: number) => string): ReactNode;
};
