// The traces that leaderboard/web/board/charts.py makes, and no other.
const Plotly = require("plotly.js/lib/core");

Plotly.register([require("plotly.js/lib/bar"), require("plotly.js/lib/heatmap"), require("plotly.js/lib/scatterpolar")]);
module.exports = Plotly;
