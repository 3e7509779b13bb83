import { type ReactNode, useEffect, useRef, useState } from 'react';

/** Colours for more than this would hold up the page. */
const LONGEST = 50_000;
/** While code is still being written, its colours wait for a pause. */
const PAUSE_MS = 120;

type Coloured = { text: string; language: string; node: ReactNode };
type Colour = (text: string, language: string) => ReactNode | undefined;
let colour: Colour | undefined;

/** The code in colours, as far as they are there; nothing for languages that are not known. */
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
  // What came since has no colours yet.
  return (
    <>
      {done.node}
      {text.slice(done.text.length)}
    </>
  );
}

/** Nothing when it cannot be loaded: code can be read without colours. */
async function loadColour(): Promise<Colour | undefined> {
  return import('./colours.tsx').then(
    (module) => module.colour,
    () => undefined,
  );
}
