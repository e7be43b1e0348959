/* A part of iframe-worker 1.0.4, Copyright 2020-2022 Martin Donath, MIT licence (NOTICE has its text):
   what a worker's script finds in its scope. */
"use strict";
globalThis.postMessage = (data, target) => parent.postMessage(data, target || "*");
globalThis.importScripts = (...urls) =>
  urls.reduce(
    (before, url) =>
      before.then(
        () =>
          new Promise((resolve) => {
            const script = document.createElement("script");
            script.src = url;
            script.onload = resolve;
            document.body.appendChild(script);
          }),
      ),
    Promise.resolve(),
  );
