import { useEffect, useState } from 'react';
import { useDaemon } from '../data/daemon.tsx';
import { Button } from '../design/button.tsx';

/** Time for which the button shows the attempt. */
const SAID_MS = 1500;

/** Reconnects at once, without waiting for the next retry. */
export function ReconnectButton({ small }: { small?: boolean }) {
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
      {isTrying ? 'Reconnecting…' : 'Reconnect'}
    </Button>
  );
}
