#if !COVERAGE
    internal import ArgumentParser

    // With coverage, libFuzzer has a main of its own.
    @main
    enum Program {
        static func main() { FuzzCommand.main() }
    }
#endif
