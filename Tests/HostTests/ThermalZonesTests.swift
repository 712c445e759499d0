import Host
import LinuxSystem
import Model
import Testing

@Suite("Thermal zones")
struct ThermalZonesTests {
    /// A tree as the kernel shows it, for one test.
    private final class Tree {
        let root: String

        init() throws {
            root = "/tmp/greenroom-thermal-\(CurrentProcess.pid)-\(Clock.monotonic())"
            try FileSystem.makeDirectory("\(root)/class/thermal", mode: 0o755)
        }

        deinit { try? FileSystem.removeTree(root) }

        func add(_ zone: Int, _ files: [String: String]) throws {
            try FileSystem.makeDirectory("\(root)/class/thermal/thermal_zone\(zone)", mode: 0o755)
            for (name, text) in files { try set(zone, name, text) }
        }

        func set(_ zone: Int, _ name: String, _ text: String) throws {
            let path = "\(root)/class/thermal/thermal_zone\(zone)/\(name)"
            try FileSystem.replace(path, with: Array((text + "\n").utf8), mode: 0o644)
        }

        func state(_ temperature: Int, after previous: ThermalState, zone: Int = 0) throws -> ThermalState? {
            try set(zone, "temp", "\(temperature)")
            return ThermalZones(sys: root).state(after: previous)
        }
    }

    private static let laptop = [
        "temp": "40000", "trip_point_0_type": "critical", "trip_point_0_temp": "105000", "trip_point_1_type": "hot",
        "trip_point_1_temp": "100000", "trip_point_2_type": "passive", "trip_point_2_temp": "90000",
        "trip_point_2_hyst": "3000", "trip_point_3_type": "active", "trip_point_3_temp": "80000",
        "trip_point_4_type": "active", "trip_point_4_temp": "50000",
    ]

    @Test("The kernel's own marks say how warm it is")
    func marks() throws {
        let tree = try Tree()
        try tree.add(0, Self.laptop)
        let expected: [(Int, ThermalState)] = [
            (79_999, .nominal), (80_000, .fair), (89_999, .fair), (90_000, .serious), (99_999, .serious),
            (100_000, .critical), (120_000, .critical), (-5_000, .nominal),
        ]
        for (temperature, state) in expected {
            #expect(try tree.state(temperature, after: .nominal) == state, "\(temperature)")
        }
    }

    @Test("A temperature that wavers about a mark is one state")
    func wavering() throws {
        let tree = try Tree()
        try tree.add(0, Self.laptop)
        var state = ThermalState.nominal
        var states: [ThermalState] = []
        for temperature in [89_000, 90_000, 89_000, 87_001, 90_000, 87_000, 86_999, 90_000] {
            state = try #require(try tree.state(temperature, after: state))
            states.append(state)
        }
        #expect(states == [.fair, .serious, .serious, .serious, .serious, .serious, .fair, .serious])
    }

    @Test("Where a zone has only the mark at which the machine switches off, the others lie below it")
    func onlyCritical() throws {
        let tree = try Tree()
        try tree.add(0, ["temp": "0", "trip_point_0_type": "critical", "trip_point_0_temp": "100000"])
        let expected: [(Int, ThermalState)] = [
            (84_999, .nominal), (85_000, .fair), (90_000, .serious), (95_000, .critical),
        ]
        for (temperature, state) in expected {
            #expect(try tree.state(temperature, after: .nominal) == state, "\(temperature)")
        }
    }

    @Test("The warmest zone counts; one that is switched off, has no marks or cannot be read does not")
    func several() throws {
        let tree = try Tree()
        try tree.add(0, Self.laptop)
        try tree.add(1, ["temp": "70000", "trip_point_0_type": "passive", "trip_point_0_temp": "60000"])
        #expect(ThermalZones(sys: tree.root).state(after: .nominal) == .serious)
        try tree.set(1, "mode", "disabled")
        #expect(ThermalZones(sys: tree.root).state(after: .nominal) == .nominal)
        try tree.add(2, ["temp": "99000"])
        try tree.add(3, ["temp": "", "trip_point_0_type": "passive", "trip_point_0_temp": "60000"])
        try tree.add(4, ["temp": "99000", "trip_point_0_type": "passive", "trip_point_0_temp": "-274000"])
        #expect(ThermalZones(sys: tree.root).state(after: .nominal) == .nominal)
    }

    @Test("A machine without zones says nothing, and is not looked at")
    func none() throws {
        let tree = try Tree()
        #expect(ThermalZones(sys: tree.root).isEmpty)
        #expect(ThermalZones(sys: tree.root).state(after: .critical) == nil)
        #expect(ThermalZones(sys: "\(tree.root)/nothing").isEmpty)
    }
}
