import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { useMay } from '../data/daemon.tsx';
import { isForView, isSomethingOpen } from './keys.ts';
import { usePlaces } from './places.ts';

const CHORD_MS = 1200;

type Actions = { openPalette: () => void; openHelp: () => void };

/** The keys that work in every view. */
export function useShortcuts({ openPalette, openHelp }: Actions): void {
  const [, navigate] = useLocation();
  const mayAct = useMay('member');
  const places = usePlaces();
  const lastG = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        if (!isSomethingOpen()) openPalette();
        return;
      }
      if (!isForView(event)) return;
      const place = places.find(({ key }) => key === event.key);
      if (place && event.timeStamp - lastG.current < CHORD_MS) {
        event.preventDefault();
        navigate(place.path);
      } else if (event.key === 'c' && mayAct) {
        event.preventDefault();
        navigate('/');
      } else if (event.key === '?') openHelp();
      lastG.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [navigate, places, mayAct, openPalette, openHelp]);
}
