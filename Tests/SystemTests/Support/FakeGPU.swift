import Glibc
import LinuxSystem

/// A folder that stands for a machine's `dev` and `proc`, with a GPU whose driver tells in `fdinfo` what it did for
/// whom. Apps write there what the driver would tell of them.
enum FakeGPU {
    static func place(in folder: String) -> String { "\(folder)/machine" }

    static func make(in folder: String) throws -> String {
        let path = place(in: folder)
        try FileSystem.makeDirectory("\(path)/dev/dri", mode: 0o755)
        _ = try Descriptor.open("\(path)/dev/dri/renderD128", .write, create: 0o644)
        try FileSystem.makeDirectory("\(path)/proc", mode: 0o777)
        // Whatever the umask is: apps have users of their own.
        for part in [path, "\(path)/dev", "\(path)/dev/dri"] { try FileSystem.changeMode(part, to: 0o755) }
        try FileSystem.changeMode("\(path)/proc", to: 0o777)
        return path
    }

    /// Of an app in Python: `draw()` has the GPU work in the app's one context, and creates that the first time.
    static func drawing(in folder: String) -> String {
        """
        used = 0

        def draw():
            global used
            used += 1000
            own = "\(place(in: folder))/proc/%d" % os.getpid()
            for part in ("fd", "fdinfo"):
                os.makedirs(own + "/" + part, exist_ok=True)
            with open(own + "/new", "w") as info:
                info.write("drm-driver:\\tfake\\ndrm-client-id:\\t1\\ndrm-engine-gfx:\\t%d ns\\n" % used)
            os.replace(own + "/new", own + "/fdinfo/9")
            if not os.path.islink(own + "/fd/9"):
                os.symlink("/dev/dri/renderD128", own + "/fd/9")

        """
    }

    /// What the driver tells of a process that has had the GPU work for so long, all in all, in its one context.
    static func draw(_ pid: Int, nanoseconds: Int, in folder: String) throws {
        let own = "\(place(in: folder))/proc/\(pid)"
        for part in ["fd", "fdinfo"] { try FileSystem.makeDirectory("\(own)/\(part)", mode: 0o755) }
        let info = "drm-driver:\tfake\ndrm-client-id:\t1\ndrm-engine-gfx:\t\(nanoseconds) ns\n"
        try FileSystem.replace("\(own)/fdinfo/9", with: Array(info.utf8), mode: 0o644)
        let link = "\(own)/fd/9"
        if unsafe symlink("/dev/dri/renderD128", link) != 0, errno != EEXIST { throw Trouble("\(link) cannot be made") }
    }
}
