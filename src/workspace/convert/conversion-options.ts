// How documents are made Markdown, and what that may take: what the configuration file says under `uploads: conversion:`.
import { z } from 'zod';
import { fairShareFields } from '../../fair-share/fair-share-options.ts';

export const conversionOptionsSchema = z.strictObject({
  /** Whether documents are converted at all. */
  enabled: z.boolean().default(true),
  /** `auto`: LibreOffice reads the old formats where it and bubblewrap work; `off`: never. */
  libreoffice: z.enum(['auto', 'off']).default('auto'),
  /** Documents that are converted at the same time, of everybody and of one user; how many of one user may wait. */
  ...fairShareFields({ at_once: 3, per_user: 2, waiting_per_user: 100 }),
  /** How long the answer to an upload waits for the Markdown; after that the conversion goes on without it. */
  wait_seconds: z.int().min(0).max(80).default(30),
  /** Of one document: time, memory, and the Markdown beyond which the rest is left out. */
  timeout_seconds: z.int().min(1).max(600).default(60),
  memory_mb: z.int().min(128).max(65_536).default(1_024),
  markdown_mb: z.int().min(1).max(256).default(8),
  /** What an office document (a zip) may hold when it is unpacked. */
  unpacked_mb: z.int().min(1).max(4_096).default(100),
});

export type ConversionOptions = z.output<typeof conversionOptionsSchema>;
