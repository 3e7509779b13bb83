import { createContext } from 'react';

/** Whether the graph shows a chain that does not run: then its steps have no states. */
export const IsPlan = createContext(false);
