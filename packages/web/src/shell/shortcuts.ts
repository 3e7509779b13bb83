import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useMay } from '../data/daemon.tsx';
import { isSomethingOpen } from '../design/keyboard-events.ts';
import { useKeyGuard, useShortcutGroup } from '../guard/use-key-guard.ts';
import { usePlaces } from './places.ts';

type Actions = { openPalette: () => void; openHelp: () => void };

/** The keys that work in every view. */
export function useShortcuts({ openPalette, openHelp }: Actions): void {
  const [, navigate] = useLocation();
  const mayAct = useMay('member');
  const toPlaces = usePlaces().map(({ key, path }) => [`g${key}`, () => navigate(path)] as const);
  useKeyGuard();
  useShortcutGroup({
    ...Object.fromEntries(toPlaces),
    ...(mayAct ? { c: () => navigate('/') } : {}),
    '?': openHelp,
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isForPalette = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
      if (!isForPalette) return;
      event.preventDefault();
      if (!isSomethingOpen()) openPalette();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [openPalette]);
}
