import type { PhoneScreen } from '../screen/phone-screen.ts';

/** What the server of the UiAutomator2 driver reads from its phone, and does to it. */
export interface DrivenPhone {
  readonly serial: string;
  readonly facts: {
    readonly model: string;
    readonly manufacturer: string;
    readonly release: string;
    readonly apiLevel: number;
    readonly width: number;
    readonly height: number;
  };
  readonly battery: { readonly level: number };
  readonly size: { readonly width: number; readonly height: number };
  readonly screen: PhoneScreen;
  readonly isLandscape: boolean;
  readonly uiAutomator: {
    readonly typed: string[];
    readonly clicks: string[];
    readonly actions: string[];
  };
  clipboard: string;
  rotate(isLandscape: boolean): void;
  showTap(x: number, y: number): void;
  stopInstrumentation(): void;
  crash(): void;
}
