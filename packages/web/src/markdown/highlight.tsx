import { type ReactNode, useEffect, useRef, useState } from 'react';

/** Highlighting more than this would block the page. */
export const LONGEST = 50_000;
/** Debounces the highlighting of code that is still streaming. */
const PAUSE_MS = 120;

type Coloured = { text: string; language: string; node: ReactNode };
type Colours = typeof import('./colours.tsx');
let colours: Colours | undefined;

/** The highlighted code as far as it is available; nothing for unknown languages. */
export function useColours(text: string, language: string): ReactNode | undefined {
  const [done, setDone] = useState<Coloured>();
  const isBegun = useRef(false);
  useEffect(() => {
    if (language === '' || text.length > LONGEST) return;
    const pause = isBegun.current ? PAUSE_MS : 0;
    isBegun.current = true;
    let isGone = false;
    const timer = setTimeout(async () => {
      const loaded = await loadColours();
      if (!isGone && loaded) setDone({ text, language, node: loaded.colour(text, language) });
    }, pause);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [text, language]);
  if (!done?.node || done.language !== language || !text.startsWith(done.text)) return undefined;
  if (text === done.text) return done.node;
  // Code that arrived since is not highlighted yet.
  return (
    <>
      {done.node}
      {text.slice(done.text.length)}
    </>
  );
}

/** Nothing if they cannot be loaded: code is readable without highlighting. */
export async function loadColours(): Promise<Colours | undefined> {
  colours ??= await import('./colours.tsx').catch(() => undefined);
  return colours;
}
