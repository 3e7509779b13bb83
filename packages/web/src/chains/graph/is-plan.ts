import { createContext } from 'react';

/** True if the graph shows a chain that is not running: its steps have no states. */
export const IsPlan = createContext(false);
