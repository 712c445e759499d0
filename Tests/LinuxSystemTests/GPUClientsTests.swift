import LinuxSystem
import Testing

/// On trees as `/proc` has them, written after the kernel's page on drm-usage-stats.
@Suite("Clients of GPUs")
struct GPUClientsTests {
    private static func amdgpu(_ id: Int, _ gfx: Int) -> String {
        """
        pos:\t0
        flags:\t02100002
        mnt_id:\t27
        ino:\t441
        drm-driver:\tamdgpu
        drm-client-id:\t\(id)
        drm-pdev:\t0000:0b:00.0
        pasid:\t32771
        drm-memory-vram:\t10240 KiB
        drm-engine-gfx:\t\(gfx) ns
        drm-engine-compute:\t1000 ns
        drm-engine-capacity-gfx:\t2

        """
    }

    private static let i915 = """
        pos:\t0
        drm-driver: i915
        drm-pdev: 0000:00:02.0
        drm-client-id: 7
        drm-engine-render: 25662044495 ns
        drm-engine-copy: 0 ns
        drm-engine-video: 0 ns
        drm-engine-capacity-video: 2

        """

    private static let xe =
        "drm-driver:\txe\ndrm-client-id:\t3\ndrm-cycles-rcs:\t28257900\ndrm-total-cycles-rcs:\t7655183225\n"

    private func make(_ scratch: Scratch, _ files: [(pid: CInt, descriptor: Int, path: String, info: String)]) throws {
        for file in files {
            for folder in ["fd", "fdinfo"] { try FileSystem.makeDirectory("\(scratch.path)/\(file.pid)/\(folder)") }
            let place = "\(scratch.path)/\(file.pid)"
            FileSystem.remove("\(place)/fd/\(file.descriptor)")
            try FileSystem.link(to: file.path, at: "\(place)/fd/\(file.descriptor)")
            try Descriptor.open("\(place)/fdinfo/\(file.descriptor)", .write, create: 0o600, truncate: true)
                .writeAll(Array(file.info.utf8))
        }
    }

    @Test("A driver's counters are added up, its capacities and totals are not")
    func parsing() throws {
        let (client, used) = try #require(GPUClients.parse(Self.i915, device: "/dev/dri/renderD128"))
        #expect(client == GPUClients.Client(driver: "i915", name: "0000:00:02.0 7") && used == 25_662_044_495)
        #expect(GPUClients.parse(Self.amdgpu(5, 200), device: "/dev/dri/card0")?.1 == 1200)
        #expect(GPUClients.parse(Self.xe, device: "/dev/dri/card1")?.1 == 28_257_900)
        #expect(GPUClients.parse(Self.xe, device: "/dev/dri/card1")?.0.name == "/dev/dri/card1 3")
        for text in ["", "pos:\t0\n", "drm-driver: i915\n", "drm-client-id: 1\n"] {
            #expect(GPUClients.parse(text, device: "/dev/dri/card0") == nil)
        }
    }

    @Test("A context that is open often, in several processes, is one; what is no device is not read")
    func tree() throws {
        let scratch = try Scratch()
        try make(
            scratch,
            [
                (10, 3, "/dev/dri/renderD128", Self.amdgpu(1, 500)),
                (10, 4, "/dev/dri/renderD128", Self.amdgpu(1, 500)),
                (11, 9, "/dev/dri/card0", Self.amdgpu(1, 700)), (11, 10, "/dev/dri/card0", Self.amdgpu(2, 0)),
                // As a file would look that an app has made up.
                (11, 11, "/tmp/fake", Self.amdgpu(9, 9)), (11, 12, "socket:[77]", "pos:\t0\n"),
                (12, 3, "/dev/dri/card0", Self.amdgpu(8, 8)),
            ])
        let clients = GPUClients(of: [10, 11, 999], in: ProcFS(root: scratch.path))
        #expect(clients.used.count == 2 && clients.used.values.sorted() == [1000, 1700])
        #expect(GPUClients(of: [999], in: ProcFS(root: scratch.path)) == GPUClients())
    }

    @Test("Work in an old context, a new context, and neither: each is told apart")
    func changes() throws {
        let scratch = try Scratch()
        let procFS = ProcFS(root: scratch.path)
        func look() -> GPUClients { GPUClients(of: [10], in: procFS) }
        try make(scratch, [(10, 3, "/dev/dri/renderD128", Self.amdgpu(1, 500))])
        let before = look()
        #expect(look().change(since: before) == nil)
        try make(scratch, [(10, 3, "/dev/dri/renderD128", Self.amdgpu(1, 501))])
        #expect(look().change(since: before) == .work(driver: "amdgpu"))
        try make(scratch, [(10, 4, "/dev/dri/renderD129", Self.i915)])
        #expect(look().change(since: before) == .newClient(driver: "i915"))
        #expect(GPUClients().change(since: look()) == nil, "what was closed was not used")
    }

    @Test("Of NVIDIA's driver a GPU that is opened anew is a context; its control device is none")
    func nvidia() throws {
        let scratch = try Scratch()
        let procFS = ProcFS(root: scratch.path)
        try make(
            scratch,
            [
                (10, 3, "/dev/nvidiactl", "pos:\t0\n"), (10, 4, "/dev/nvidia-uvm", "pos:\t0\n"),
                (10, 5, "/dev/nvidia0", ""),
            ])
        let before = GPUClients(of: [10], in: procFS)
        #expect(before.used.keys.map(\.driver) == ["nvidia"])
        try make(scratch, [(10, 6, "/dev/nvidiactl", ""), (10, 7, "/dev/nvidia-modeset", "")])
        #expect(GPUClients(of: [10], in: procFS).change(since: before) == nil)
        try make(scratch, [(10, 8, "/dev/nvidia1", "")])
        #expect(GPUClients(of: [10], in: procFS).change(since: before) == .newClient(driver: "nvidia"))
    }

    @Test("A machine has a GPU when it has a device of one")
    func devices() throws {
        let scratch = try Scratch()
        func add(_ name: String) throws { _ = try Descriptor.open("\(scratch.path)/\(name)", .write, create: 0o600) }
        #expect(!GPUClients.areThere(devices: scratch.path))
        for name in ["nvidiactl", "nvidia-uvm", "null"] { try add(name) }
        #expect(!GPUClients.areThere(devices: scratch.path))
        try add("nvidia0")
        #expect(GPUClients.areThere(devices: scratch.path))
        let other = try Scratch()
        try FileSystem.makeDirectory("\(other.path)/dri")
        #expect(!GPUClients.areThere(devices: other.path))
        _ = try Descriptor.open("\(other.path)/dri/renderD128", .write, create: 0o600)
        #expect(GPUClients.areThere(devices: other.path))
    }
}
