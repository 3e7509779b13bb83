import { useMemo } from 'react';
import { Output } from '../output.tsx';

/** A value as JSON. */
export function JsonView({ place, value }: { place: string; value: unknown }) {
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? '', [value]);
  return <Output place={place} text={text} />;
}
