import type { TrueChange } from '@baton/client';
import { useCallback, useMemo, useState } from 'react';
import type { ViewedMarks } from './viewed-marks.ts';

export type OpenedFiles = {
  has(file: TrueChange): boolean;
  set(file: TrueChange, isOpen: boolean): void;
  mark(file: TrueChange, isViewed: boolean): void;
};

/** The files that are expanded: all but the viewed ones, and those that the user chose otherwise. */
export function useOpenedFiles(viewed: ViewedMarks): OpenedFiles {
  const [chosen, choose] = useState<ReadonlyMap<string, boolean>>(new Map());
  const set = useCallback((path: string, isOpen: boolean | undefined) => {
    choose((before) => {
      const after = new Map(before);
      if (isOpen === undefined) after.delete(path);
      else after.set(path, isOpen);
      return after;
    });
  }, []);
  return useMemo(
    () => ({
      has: (file) => chosen.get(file.path) ?? !viewed.has(file),
      set: ({ path }, isOpen) => set(path, isOpen),
      mark(file, isViewed) {
        viewed.set(file, isViewed);
        set(file.path, undefined);
      },
    }),
    [chosen, viewed, set],
  );
}
