import { QueryClientProvider } from '@tanstack/react-query';
import { Router } from 'wouter';
import { queryClient } from './data/queries.ts';
import { Toasts } from './design/toasts.tsx';
import { Shell } from './shell/shell.tsx';
import { SignedIn } from './sign-in/signed-in.tsx';
import { useFirstView, Views } from './views.tsx';

/** The whole page. */
export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Router base="/app">
        <Visit />
      </Router>
    </QueryClientProvider>
  );
}

function Visit() {
  useFirstView();
  return (
    <>
      <SignedIn>
        <Shell>
          <Views />
        </Shell>
      </SignedIn>
      <Toasts />
    </>
  );
}
