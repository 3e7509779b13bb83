import { type ReactNode, useEffect, useRef, useState } from 'react';

/** Highlighting more than this would block the page. */
const LONGEST = 50_000;
/** Debounces the highlighting of code that is still streaming. */
const PAUSE_MS = 120;

type Coloured = { text: string; language: string; node: ReactNode };
type Colour = (text: string, language: string) => ReactNode | undefined;
let colour: Colour | undefined;

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
      colour ??= await loadColour();
      if (!isGone && colour) setDone({ text, language, node: colour(text, language) });
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

/** Nothing if it cannot be loaded: code is readable without highlighting. */
async function loadColour(): Promise<Colour | undefined> {
  return import('./colours.tsx').then(
    (module) => module.colour,
    () => undefined,
  );
}
