internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Simulation

/// Prints what waiting for each other spares, and what fetching costs and brings on real months and in their first
/// week: ours beside polling, and beside a schedule that knows the future.
enum FetchBench {
    static let usage = """
        usage: greenroom-bench-fetch [TRACES] [--quick | --pushes]
        Prints what hourly work of 20 apps costs when it can wait and when it cannot, and, for each usage/NAME.csv in
        TRACES (a folder), what share of visits finds fresh content at what cost.
          --quick   3G only, and fewer prices
          --pushes  what silent pushes cost on those months, and how long they wait; nothing else

        """

    static func run(_ arguments: [String]) -> CInt {
        var folder: String?
        var (isQuick, isPushes) = (false, false)
        for argument in arguments.dropFirst() {
            switch argument {
            case "--quick": isQuick = true
            case "--pushes": isPushes = true
            case let option where option.hasPrefix("-"):
                StandardError.write("greenroom-bench-fetch: unknown option \(option)\n\(usage)")
                return 2
            default: folder = argument
            }
        }
        if !isPushes { print(Together().text) }
        guard let folder else { return 0 }
        let names = FileSystem.names(in: folder + "/usage").filter {
            $0.hasSuffix(".csv") && !$0.hasSuffix(".apps.csv")
        }
        guard !names.isEmpty else {
            print("\nNo usage/*.csv in \(folder): real months are not measured. GREENROOM_TRACES names their folder.")
            return 0
        }
        for name in names.sorted() {
            guard let bytes = FileSystem.read("\(folder)/usage/\(name)") else { continue }
            do throws(CSVError) {
                let trace = try UsageTrace(csv: bytes)
                let days = FetchDays(trace)
                let name = String(name.dropLast(4))
                if isPushes {
                    print("\n" + Pushes(trace).text(name))
                    continue
                }
                for costs in [FetchCosts(), .lte] { print("\n" + FirstWeek(trace, costs).text(name)) }
                print("\n" + Curve(days, FetchCosts(), isQuick: isQuick).text(name))
                if !isQuick {
                    print("\n" + Curve(days, .tiny, isQuick: true).text("\(name), tiny fetches"))
                    print("\n" + Curve(days, .lte, isQuick: true).text(name))
                }
            } catch {
                StandardError.write("\(name): \(error)\n")
                return 1
            }
        }
        return 0
    }
}

extension FetchCosts {
    /// As a feed that has nothing new: a request, and the answer that nothing has changed.
    static var tiny: FetchCosts {
        var costs = FetchCosts()
        (costs.sent, costs.received) = (500, 1_000)
        return costs
    }

    static var lte: FetchCosts {
        var costs = FetchCosts()
        costs.radio = .lte
        costs.link = .lte
        return costs
    }
}

enum Text {
    static func joules(_ energy: Energy) -> String { decimals(energy.joules, energy.joules < 1000 ? 1 : 0) }

    static func percent(_ share: Double) -> String { decimals(share * 100, 2) + " %" }

    static func decimals(_ value: Double, _ count: Int) -> String {
        var scale: Int64 = 1
        for _ in 0..<count { scale *= 10 }
        let whole = Int64((value * Double(scale)).rounded())
        guard count > 0 else { return String(whole) }
        let fraction = String(whole.magnitude % UInt64(scale))
        let zeros = String(repeating: "0", count: count - fraction.count)
        return (whole < 0 ? "-" : "") + "\(whole.magnitude / UInt64(scale)).\(zeros)\(fraction)"
    }

    static func table(_ rows: [[String]]) -> String {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 0 ? row[column] + padding : padding + row[column]
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}
