/// A debugger from outside, in Python: attaches to the process that it is given, says so, and leaves when a line comes.
enum Tracer {
    /// PTRACE_SEIZE attaches without stopping; nothing but Python is needed.
    static let script = """
        import ctypes, sys
        libc = ctypes.CDLL(None, use_errno=True)
        libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        if libc.ptrace(0x4206, int(sys.argv[1]), None, None) != 0:
            sys.exit("ptrace: " + str(ctypes.get_errno()))
        print("attached", flush=True)
        sys.stdin.readline()
        """
}
