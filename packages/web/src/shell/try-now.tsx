import { useEffect, useState } from 'react';
import { useDaemon } from '../data/daemon.tsx';
import { Button } from '../design/button.tsx';

/** So long it says that it tries; an answer may come sooner. */
const SAID_MS = 1500;

/** Looks for a daemon that is away at once, in place of waiting for the next try. */
export function TryNow({ small }: { small?: boolean }) {
  const { client } = useDaemon();
  const [isTrying, setTrying] = useState(false);
  useEffect(() => {
    if (!isTrying) return;
    const timer = setTimeout(() => setTrying(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [isTrying]);
  const look = () => {
    setTrying(true);
    client.connection.reconnect();
  };
  return (
    <Button small={small ?? false} icon="retry" busy={isTrying} onClick={look}>
      {isTrying ? 'Trying …' : 'Try now'}
    </Button>
  );
}
