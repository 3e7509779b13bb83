import { useEffect, useState } from 'react';

const PAUSE_MS = 200;

/** A value once it rests: what is asked for each letter would be asked for too often. */
export function useSettled<Value>(value: Value): Value {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
