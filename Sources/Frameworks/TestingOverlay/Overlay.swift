// Swift Testing declares that a file which imports Testing and UIKit also imports the module `_Testing_UIKit`, which
// comes with Apple's systems only. Without this one no test of code that uses UIKit would compile on Linux.
