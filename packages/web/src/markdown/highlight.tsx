import { type ReactNode, useEffect, useState } from 'react';

/** Colours for more than this would hold up the page. */
const LONGEST = 50_000;
/** While code is still being written, its colours wait for a pause. */
const PAUSE_MS = 120;

type Colour = (text: string, language: string) => ReactNode | undefined;
let colour: Colour | undefined;

/** The code in colours; nothing until they are loaded, and for languages that are not known. */
export function useColours(text: string, language: string): ReactNode | undefined {
  const [shown, show] = useState<{ text: string; node: ReactNode | undefined }>();
  useEffect(() => {
    if (language === '' || text.length > LONGEST) return;
    let isGone = false;
    const timer = setTimeout(
      async () => {
        colour ??= (await import('./colours.tsx')).colour;
        if (!isGone) show({ text, node: colour(text, language) });
      },
      colour ? 0 : PAUSE_MS,
    );
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [text, language]);
  return shown?.text === text ? shown.node : undefined;
}
