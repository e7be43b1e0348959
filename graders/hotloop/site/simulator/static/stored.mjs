// localStorage may be forbidden: then a text lasts until the page is left.
export const stored = {
  get: (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  },
  set: (name, text) => {
    try {
      localStorage.setItem(name, text);
    } catch {
      // Nothing is kept, and the page works on.
    }
  },
};
