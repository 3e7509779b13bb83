import { escapedJson } from '@baton/protocol';
import { useMemo } from 'react';
import { Output } from '../output.tsx';

/** A value as JSON. */
export function JsonView({ place, value }: { place: string; value: unknown }) {
  const text = useMemo(() => escapedJson(value), [value]);
  return <Output place={place} text={text} />;
}
